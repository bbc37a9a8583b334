import { KiB } from '@weir/core';
import { defineCheck } from '../check.ts';
import { bytes, count } from '../number-texts.ts';

const averageFileBytesMin = 512 * KiB;
/** At a lower rate the cost of requests is negligible, however small the files are. */
const filesPerSecondMin = 10;

export const smallFiles = defineCheck({
  name: 'small_files',
  type: 'storage',
  source: 'agent',
  severity: 'medium',
  title: 'Many small files are written',
  observes: `The average size of new files, against ${bytes(averageFileBytesMin)}, when at least ${count(filesPerSecondMin)} are written per second.`,
  explanation:
    'Object stores charge per request, so that many small files cost more than few large ones; they are also more work for every later read.',
  fix: 'Raise -batchTimeout if producers can wait a little longer, run fewer and larger agents, or send producers to the agents of their own zone, so that each agent has more to put into one file.',
  kinds: ['kafka', 'data_lake'],
  damping: { failAfterRuns: 5, recoverAfterRuns: 5 },
  run({ cluster, produce }) {
    if (produce === undefined || produce.spanMs <= 0) return { missing: 'sizes of new files' };
    const { fileCount, fileBytes, spanMs } = produce;
    const filesPerSecond = (fileCount * 1000) / spanMs;
    const averageBytes = fileBytes / fileCount;
    if (filesPerSecond < filesPerSecondMin || averageBytes >= averageFileBytesMin) return [];
    return [
      {
        entity: { kind: 'cluster', name: cluster.clusterId },
        message: `${count(filesPerSecond)} files per second are written, of ${bytes(averageBytes)} on average.`,
        weight: filesPerSecond,
      },
    ];
  },
});
