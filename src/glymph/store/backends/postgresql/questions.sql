-- Schema 3: one queue for every doubt about two memories. The table keeps the name of the first kind of doubt, by
-- which journals and exports know it; what a question may be answered with is its kind's affair.
ALTER TABLE conflicts DROP CONSTRAINT conflicts_resolution_check;
ALTER TABLE conflicts ADD COLUMN kind TEXT COLLATE "C";
