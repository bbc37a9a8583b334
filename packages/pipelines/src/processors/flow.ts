import type { ComponentSpec } from '../component/component-spec.ts';
import { branch } from './branch.ts';
import { cacheProcessor } from './cache.ts';
import { cached } from './cached.ts';
import { chainProcessors } from './chains.ts';
import { dedupe } from './dedupe.ts';
import { groupingProcessors } from './grouping.ts';
import { observingProcessors } from './observing.ts';
import { pacingProcessors } from './pacing.ts';
import { parallel } from './parallel.ts';
import { partProcessors } from './parts.ts';
import { plainProcessors } from './plain.ts';
import { retry } from './retry.ts';
import { switchProcessor } from './switch.ts';
import { whileProcessor } from './while.ts';
import { workflow } from './workflow.ts';

/** Processors that decide where messages go, in which batches, and when. */
export const flowProcessors: readonly ComponentSpec[] = [
  ...chainProcessors,
  branch,
  switchProcessor,
  whileProcessor,
  parallel,
  retry,
  workflow,
  ...groupingProcessors,
  ...partProcessors,
  cacheProcessor,
  cached,
  dedupe,
  ...pacingProcessors,
  ...observingProcessors,
  ...plainProcessors,
];
