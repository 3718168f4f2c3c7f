"""What each head got wrong: against the labels, among candidates, and beside a teacher."""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from training.network import MARKS
from training.packing import TASKS

Batch = dict[str, Tensor]
WEIGHTS = {"relation": 1.0, "target": 1.0, "relevance": 1.0, "worth": 0.6}
TOGETHER = 0.3  # the weight of choosing among candidates
SMOOTHING = 0.02  # the share of a label that is left to the others
BESIDE_TEACHER = 1.0  # the weight of judging as the teacher does
IN_TEXTS = 0.3  # the weight of marking what is meant in a text
IN_SCENES = 2.0  # the weight of a scene, beside that of a pair
LIKE_TEACHER = 0.4  # the weight of a point of odds between relevance and its teacher's


class Taught(NamedTuple):
    """How teachers judge a batch: shares, one table per head, and which rows they have read."""

    read: Tensor
    shares: tuple[Tensor, ...]


def choose_among(odds: Tensor, batch: Batch, task: str) -> Tensor:
    """Punish candidates that are not meant for standing above those that are, or above none."""
    group, meant, empty = (batch[f"{task}.{name}"] for name in ("group", "meant", "empty"))
    count = len(empty) + len(group)  # no fewer than there are groups
    size = odds.exp().clamp(max=1e6) * batch[f"{task}.others"]
    others = torch.ones(count, device=odds.device).scatter_add(0, group, size).log()
    low = torch.logaddexp(odds[meant], others[group[meant]]) - odds[meant]
    return torch.cat([low, others[empty]]).mean()


def find_loss(says: tuple[Tensor, ...], batch: Batch, taught: Taught | None) -> Tensor:
    """Add up what each head got wrong."""
    *heads, spans = says
    total = torch.zeros((), device=spans.device)
    whole = len(batch["ids"])
    for at, task in enumerate(TASKS):
        count = len(batch[f"{task}.rows"]) + len(batch[f"{task}.unlike"])
        if count:
            loss = _find_loss_of(task, heads[at].float(), batch)
            total = total + WEIGHTS[task] * loss * 2 * count / whole
        if taught and count and task != "relevance":
            of_task = torch.cat([batch[f"{task}.rows"], batch[f"{task}.unlike"]])
            total = total + WEIGHTS[task] * _differ(
                heads[at].float()[of_task], taught.shares[at][of_task], taught.read[of_task], whole
            )
    if len(batch["cut.rows"]):
        told = spans[batch["cut.rows"]][..., :MARKS].float()
        wrong = F.binary_cross_entropy_with_logits(told, batch["marks"], reduction="none")
        wrong = (wrong.sum(-1) * batch["marked"]).sum() / batch["marked"].sum()
        total = total + IN_TEXTS * wrong
    if len(batch["scene.labels"]):
        share = 2 * len(batch["scene.rows"]) / whole
        total = total + IN_SCENES * share * _judge_scenes(spans[..., MARKS:].float(), batch)
    return total


def _judge_scenes(told: Tensor, batch: Batch) -> Tensor:
    """Measure how far the texts of scenes are from their labels: the mean of their tokens tells."""
    texts, labels = batch["scene.texts"], batch["scene.labels"]
    told = told[batch["scene.rows"]].flatten(0, 1)
    sums = torch.zeros(len(labels) + 1, told.shape[1], device=told.device)
    sums = sums.index_add(0, texts.flatten(), told)[:-1]
    count = torch.bincount(texts.flatten(), minlength=len(labels) + 1)[:-1]
    read = count > 0
    means = sums[read] / count[read][:, None]
    return F.cross_entropy(means, labels[read], label_smoothing=SMOOTHING)


def _find_loss_of(task: str, head: Tensor, batch: Batch) -> Tensor:
    rows, labels, unlike = (batch[f"{task}.{name}"] for name in ("rows", "labels", "unlike"))
    loss = torch.zeros((), device=head.device)
    if task == "relevance":
        odds = head[:, 0]
        loss = _rate(odds[rows], labels, batch["relevance.odds"])
    else:
        odds = head[:, 1:].logsumexp(-1) - head[:, 0]
        if len(rows):
            loss = F.cross_entropy(head[rows], labels, label_smoothing=SMOOTHING)
        if len(unlike):
            same = head[unlike].softmax(-1)[:, 1].clamp(max=0.999)
            loss = loss - torch.log1p(-same).mean() * len(unlike) / (len(rows) + len(unlike))
    if len(batch[f"{task}.grouped"]):
        loss = loss + TOGETHER * choose_among(odds[batch[f"{task}.grouped"]], batch, task)
    return loss


def _rate(odds: Tensor, labels: Tensor, scored: Tensor) -> Tensor:
    """Measure how far relevance is from the labels, or from a teacher's odds where it gave some.

    Odds, not shares: which of two texts that hardly answer is nearer matters for an order too.
    """
    ours = scored.isnan()
    wanted = labels * (1 - 2 * SMOOTHING) + SMOOTHING
    by_label = F.binary_cross_entropy_with_logits(odds, wanted, reduction="none")
    by_teacher = F.smooth_l1_loss(odds, scored.nan_to_num(), reduction="none")
    return torch.where(ours, by_label, LIKE_TEACHER * by_teacher).mean()


def _differ(head: Tensor, shares: Tensor, read: Tensor, whole: int) -> Tensor:
    """Measure how far the judgements are from the teachers', over the rows that these read."""
    wrong = F.kl_div(head.log_softmax(-1), shares, reduction="none").sum(-1)
    return BESIDE_TEACHER * 2 * (wrong * read).sum() / whole
