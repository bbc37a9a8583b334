import { buffers } from './buffers/index.ts';
import { caches } from './caches/index.ts';
import { Catalogue } from './config/catalogue.ts';
import { inputs } from './inputs/index.ts';
import { outputs } from './outputs/index.ts';
import { processors } from './processors/index.ts';
import { rateLimits } from './rate-limits/index.ts';
import { scanners } from './scanners/index.ts';
import { unavailableComponents } from './unavailable.ts';

/** All components of this release. */
export const catalogue = new Catalogue(
  [...inputs, ...buffers, ...processors, ...outputs, ...caches, ...rateLimits, ...scanners],
  unavailableComponents,
);
