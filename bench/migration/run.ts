import { Lifetime } from '../kafka/lifetime.ts';
import { migrationCopy } from '../migration-copy.ts';
import { migrationCutOver } from '../migration-cut-over.ts';
import { storeRows } from '../row-results.ts';
import { fullEffort } from '../side-by-side.ts';
import { migrationSection } from './page.ts';

/** `npm run bench:migrations`: the bars of migrations. Stores the results, and writes their section of the page. */
process.once('exit', () => Lifetime.endAll());
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));

await storeRows('migrations', migrationSection, async () => [
  ...(await migrationCopy.run(fullEffort)),
  ...(await migrationCutOver.run(fullEffort)),
]);
