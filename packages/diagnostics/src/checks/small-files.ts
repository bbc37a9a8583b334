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
  title: 'Many small files',
  observes: `The average size of new files, against ${bytes(averageFileBytesMin)}, if at least ${count(filesPerSecondMin)} are written per second.`,
  explanation:
    'Object stores charge per request, so many small files cost more than few large ones and slow down reads.',
  fix: 'Raise -batchTimeout if producers tolerate more latency, run fewer and larger agents, or connect producers to agents in their own zone, so that each file holds more records.',
  kinds: ['kafka', 'data_lake'],
  damping: { failAfterRuns: 5, recoverAfterRuns: 5 },
  run({ cluster, produce }) {
    if (produce === undefined || produce.spanMs <= 0) return { missing: 'new file sizes' };
    const { fileCount, fileBytes, spanMs } = produce;
    const filesPerSecond = (fileCount * 1000) / spanMs;
    const averageBytes = fileBytes / fileCount;
    if (filesPerSecond < filesPerSecondMin || averageBytes >= averageFileBytesMin) return [];
    return [
      {
        entity: { kind: 'cluster', name: cluster.clusterId },
        message: `${count(filesPerSecond)} new files per second, ${bytes(averageBytes)} on average.`,
        weight: filesPerSecond,
      },
    ];
  },
});
