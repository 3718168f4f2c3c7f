"""A graph of thousands: while it moves it shows what it shows at rest."""

from __future__ import annotations

SHARE = """(canvas) => {
  const found = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const pixels = new Uint32Array(found.data.buffer), paper = pixels[0];
  return pixels.filter((one) => one !== paper).length / pixels.length;
}"""
PUSH = """async (canvas) => {
  canvas.dispatchEvent(new WheelEvent("wheel", {deltaY: -0.01, clientX: 400, clientY: 300}));
  await new Promise(requestAnimationFrame);
  await new Promise(requestAnimationFrame);
}"""


def test_thousands_in_motion_are_drawn_as_they_are_at_rest(visit, served):
    served.glymph.add_many([f"Reading number {k} of the meter." for k in range(2100)])
    page = visit()
    page.goto("/graph")
    canvas = page.locator("canvas[data-ready]")
    canvas.wait_for()
    page.wait_for_timeout(400)
    at_rest = canvas.evaluate(SHARE)
    canvas.evaluate(PUSH)
    in_motion = canvas.evaluate(SHARE)
    assert at_rest > 0.05
    assert abs(in_motion - at_rest) < 0.3 * at_rest
    page.get_by_label("Find").fill("number 7")  # what is found is coloured, the rest is pale
    canvas.evaluate(PUSH)
    assert canvas.evaluate(SHARE) > 0.01
