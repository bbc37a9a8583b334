// Starts the weir command from its bundle, or from the sources if they have changed since it was made.
import { join } from 'node:path';
import { currentBundle } from '../scripts/current-bundle.mjs';

await import(currentBundle(join(import.meta.dirname, '..')) ?? '../packages/cli/src/main.ts');
