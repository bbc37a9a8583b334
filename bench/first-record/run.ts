import { Lifetime } from '../kafka/lifetime.ts';
import { storeRows } from '../row-results.ts';
import { cloneRows } from './clone-rows.ts';
import { installedRows } from './installed-rows.ts';
import { firstRecordSection } from './page.ts';

/** `npm run bench:first-record`: what the first record takes. Stores the results, and writes their part of the page. */
process.once('exit', () => Lifetime.endAll());
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));

await Lifetime.during((lifetime) =>
  storeRows('first-record', firstRecordSection, async () => [
    ...(await cloneRows(lifetime)),
    ...(await installedRows(lifetime)),
  ]),
);
