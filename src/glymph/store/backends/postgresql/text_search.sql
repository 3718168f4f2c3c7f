-- Words are found in any of their English forms; none is left out, for questions are rid of stop words before.
CREATE TEXT SEARCH DICTIONARY stem (TEMPLATE = snowball, LANGUAGE = english);
CREATE TEXT SEARCH CONFIGURATION words (PARSER = default);
ALTER TEXT SEARCH CONFIGURATION words
  ADD MAPPING FOR asciiword, word, numword, int, uint, float, sfloat, version, asciihword, hword, numhword,
    hword_asciipart, hword_part, hword_numpart WITH stem;
