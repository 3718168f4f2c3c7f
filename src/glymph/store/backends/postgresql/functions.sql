-- What the schema and its triggers are written in. Made anew with every upgrade: they are code, not data.

CREATE OR REPLACE FUNCTION glymph.shown_space() RETURNS BIGINT LANGUAGE sql STABLE PARALLEL SAFE AS
$$ SELECT nullif(current_setting('glymph.space', true), '')::bigint $$;

-- The operation that is being written, 0 for an import or a deletion of a space; NULL if there is none.
CREATE OR REPLACE FUNCTION glymph.writing_operation() RETURNS BIGINT LANGUAGE sql STABLE PARALLEL SAFE AS
$$ SELECT nullif(current_setting('glymph.operation', true), '')::bigint $$;

CREATE OR REPLACE FUNCTION glymph.writing_verb() RETURNS TEXT LANGUAGE sql STABLE PARALLEL SAFE AS
$$ SELECT nullif(current_setting('glymph.verb', true), '') $$;

-- The words of a text, apart and without marks: letters and digits alone, so that the parser finds nothing else.
CREATE OR REPLACE FUNCTION glymph.bare(said TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT AS
$$ SELECT regexp_replace(
     regexp_replace(translate(normalize(lower(said COLLATE "pg_c_utf8"), NFD), 'ς', 'σ'), '[\u0300-\u036f]+', '', 'g')
       COLLATE "pg_c_utf8", '[^[:alnum:]]+', ' ', 'g') $$;

CREATE OR REPLACE FUNCTION glymph.day_in_words(at BIGINT) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT AS
$$ SELECT to_char(timestamp '1970-01-01' + make_interval(secs => at / 1000000), 'FMDD FMMonth FMYYYY') $$;

-- A title that only repeats the beginning of the text is not indexed again. Without concat_ws, which counts as
-- depending on settings: a function that calls it is called for each row instead of becoming a part of the statement.
CREATE OR REPLACE FUNCTION glymph.words_in(title TEXT, said TEXT, tags TEXT, entities TEXT, event_at BIGINT)
RETURNS TSVECTOR LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT to_tsvector('glymph.words', glymph.bare(
     CASE WHEN title IS NULL OR starts_with(said, rtrim(title, '…'))
           AND substr(said, length(rtrim(title, '…')) + 1, 1) IN ('', ' ', chr(10)) THEN '' ELSE title || ' ' END
     || coalesce(said, '') || coalesce(' ' || nullif(tags, '[]'), '') || coalesce(' ' || nullif(entities, '[]'), '')
     || coalesce(' ' || glymph.day_in_words(event_at), ''))) $$;

CREATE OR REPLACE FUNCTION glymph.asked_for(word TEXT) RETURNS TSQUERY LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT AS
$$ SELECT phraseto_tsquery('glymph.words', glymph.bare(word)) $$;

-- How many words a text has, repetitions included.
CREATE OR REPLACE FUNCTION glymph.length_of(words TSVECTOR) RETURNS BIGINT LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT AS
$$ SELECT coalesce(sum(cardinality(positions)), 0)::bigint FROM unnest(words) $$;

-- How often a text holds a word, about: ts_rank of one word sums 1/n² over its occurrences, to 1.6449 in the limit.
CREATE OR REPLACE FUNCTION glymph.times_in(words TSVECTOR, asked TSQUERY) RETURNS FLOAT8
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT AS
$$ SELECT CASE WHEN NOT words @@ asked THEN 0 WHEN numnode(asked) > 1 THEN 1
     ELSE 1 / greatest(1.64493406685 * (1 - ts_rank('{1,1,1,1}', words, asked)), 0.003) - 0.5 END $$;

CREATE OR REPLACE FUNCTION glymph.refuse(kind TEXT, detail TEXT) RETURNS VOID LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION USING MESSAGE = 'glymph:' || kind || ':' || detail, ERRCODE = 'P0001'; END $$;

-- Whether rows of a journalled table may be changed now.
CREATE OR REPLACE FUNCTION glymph.must_be_written_here(space BIGINT) RETURNS VOID LANGUAGE plpgsql AS $$
BEGIN
  IF glymph.writing_operation() IS NULL THEN
    PERFORM glymph.refuse('Refused', 'memories change only inside an operation.');
  ELSIF space IS DISTINCT FROM glymph.shown_space() THEN
    PERFORM glymph.refuse('Isolated', 'this row belongs to another space than the operation.');
  END IF;
END $$;
