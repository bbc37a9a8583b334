import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type RestoredCluster, restoreCluster } from '@weir/controlplane/backup';
import { Failure, formatBytes } from '@weir/core';
import { makeDirectory, openJournals } from '@weir/journal';
import { problemOfBucket } from '@weir/storage';
import type { Handler } from '../../handler.ts';
import { Progress } from '../../results/progress.ts';
import { printResult } from '../../results/results.ts';
import { bucketUrl } from '../../values/bucket-url.ts';
import { explaining, openDataDirectory } from '../data-directory.ts';
import { restoredIdentityIn } from '../identity.ts';
import { keepFilesPrivate } from '../private-files.ts';
import { asFailure, clusterToRestore, openBackup, warningsTo } from './backup.ts';
import { rehearse } from './rehearsal.ts';

const defaultDataDir = 'weir-data';
/** A control plane that still leads looks for a fence at every interval, and then has to store its last entries. */
const fenceIntervals = 4;
const incompleteness =
  'the previous control plane did not confirm that its backup was complete: records, committed offsets, topics, ACLs and ' +
  'other changes acknowledged at or after the recovery point may be missing';
const uncommittedFileName = 'files-beyond-recovery-point.txt';

/** Rebuilds a cluster from its bucket. The control plane that is started afterwards serves it under its own id. */
export const restore: Handler<'control-plane restore'> = async (values, deps) => {
  const { clock, output } = deps;
  if (values.bucketURL === undefined)
    throw new Failure('-bucketURL: required; set the bucket of the cluster');
  const url = bucketUrl().print(values.bucketURL);
  if (values.dryRun) return rehearse(values, deps, url);
  const dataDir = resolve(values.dataDir ?? defaultDataDir);
  const databaseUrl = values.databaseURL ?? join(dataDir, 'weir.db');
  const log = warningsTo(deps);
  if (existsSync(join(dataDir, 'identity.json')))
    throw new Failure(`-dataDir ${dataDir}: already has an identity; use a new directory`);
  await using running = new AsyncDisposableStack();
  if (values.databaseURL === undefined) running.defer(openDataDirectory(dataDir, 'alone'));
  else explaining(dataDir, () => makeDirectory(dataDir));
  keepFilesPrivate({ dataDir, databaseUrl, bucketUrl: url }, log);
  let progress = new Progress(values, deps);
  running.defer(() => progress.clear());
  try {
    const store = await openBackup(url, values, deps, running);
    const clusterId = await clusterToRestore(store, values);
    const hub = openJournals(databaseUrl, { clock, log });
    running.defer(() => hub.close());
    const {
      generation,
      recoveryPointMs,
      isComplete,
      topicCount,
      areSchemaIdsReserved,
      uncommitted,
      unsearched,
    } = await restoreCluster({
      clusterId,
      store,
      hub,
      clock,
      fenceMs: fenceIntervals * values.metadataBackupInterval,
      onStep: (line) => {
        progress.clear();
        (values.output === 'json' ? output.err : output.out)(`${line}\n`);
        // Each step has a rate of its own.
        progress = new Progress(values, deps);
      },
      onAdvance: (advance) => progress.show(advance),
      openBucket: (named) => {
        const problem = problemOfBucket(named, { ownUrls: [url], allowedUrls: [] });
        if (problem !== undefined) throw new Failure(problem);
        return openBackup(named, values, deps, running);
      },
    });
    progress.clear();
    restoredIdentityIn(dataDir, clusterId);
    const beyond = listBeyond(uncommitted, dataDir);
    const agentKeyPath = join(dataDir, 'identity.json');
    const recoveryPoint = new Date(recoveryPointMs).toISOString();
    printResult(values, deps, {
      json: {
        cluster: clusterId,
        generation,
        topics: topicCount,
        recovery_point: recoveryPoint,
        complete: isComplete,
        may_be_missing: isComplete ? null : incompleteness,
        schema_ids_reserved: areSchemaIdsReserved,
        files_beyond: uncommitted.fileCount,
        bytes_beyond: uncommitted.byteCount,
        files_beyond_list: beyond ?? null,
        not_searched: unsearched,
        agent_key_file: agentKeyPath,
      },
      text: () =>
        [
          `restored ${clusterId} as generation ${generation}`,
          `  topics          ${topicCount}`,
          ...(isComplete
            ? [
                `  recovery point  ${recoveryPoint}; the previous control plane completed its backup and stopped`,
              ]
            : [`  recovery point  ${recoveryPoint}`, `  incomplete      ${incompleteness}`]),
          ...(areSchemaIdsReserved
            ? ['  schemas         ids allocated after the recovery point are not reused']
            : []),
          lineOfBeyond(uncommitted, isComplete, beyond),
          ...unsearched.map((problem) => `  not searched    ${problem}`),
          `  agent key       in ${agentKeyPath}; earlier keys are not in the backup`,
          '',
        ].join('\n'),
    });
    return 0;
  } catch (error) {
    throw asFailure(error);
  }
};

/** Lists what lies in the bucket beyond the recovery point in a file, and returns its path. */
function listBeyond(
  { fileCount, keys }: RestoredCluster['uncommitted'],
  dataDir: string,
): string | undefined {
  if (fileCount === 0) return undefined;
  const path = join(dataDir, uncommittedFileName);
  writeFileSync(path, `${keys.join('\n')}\n`, { mode: 0o600 });
  return path;
}

function lineOfBeyond(
  { fileCount, byteCount }: RestoredCluster['uncommitted'],
  isComplete: boolean,
  path: string | undefined,
): string {
  if (path === undefined) return '  beyond it       no files';
  const files = `${fileCount} ${fileCount === 1 ? 'file' : 'files'} with ${formatBytes(byteCount)}`;
  const meaning = isComplete
    ? 'uploaded and never acknowledged'
    : 'at most, whose records may have been acknowledged but are not restored';
  return `  beyond it       ${files} ${meaning}; listed in ${path}`;
}
