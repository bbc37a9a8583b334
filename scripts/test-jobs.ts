/** Test files that run in one process, one after the other. */
export interface TestJob {
  readonly files: readonly string[];
}

/**
 * Folders whose tests are pure: no sockets, processes, timers or global state. Their files share a process, which saves
 * process starts.
 */
const pureFolders: readonly string[] = [
  'packages/api/src/',
  'packages/core/src/',
  'packages/events/src/filter/',
  'packages/cluster/src/acls/',
  'packages/cluster/src/configs/',
  'packages/groups/src/',
  'packages/machine/src/',
  'packages/mcp/src/',
  'packages/oidc/src/',
  'packages/wire/src/',
  'packages/cli/src/flags/',
  'packages/cli/src/rules/',
  'packages/cli/src/values/',
  'packages/controlplane/src/diagnostics/',
];

/** Tests that measure their own heap, whatever their folder. */
const measuresHeap = /\/memory\.test\.ts$/;

const filesPerJobMax = 24;

/**
 * Orders jobs by duration, longest first, so that no core waits for a long job at the end; jobs of unknown duration
 * count as long.
 */
export function planJobs(
  files: readonly string[],
  durationsMs: Readonly<Record<string, number>>,
): readonly TestJob[] {
  const jobs: TestJob[] = [];
  const shared = new Map<string, string[]>();
  for (const file of files) {
    const folder = measuresHeap.test(file)
      ? undefined
      : pureFolders.find((candidate) => file.startsWith(candidate));
    if (folder === undefined) jobs.push({ files: [file] });
    else shared.set(folder, [...(shared.get(folder) ?? []), file]);
  }
  for (const group of shared.values()) {
    for (let at = 0; at < group.length; at += filesPerJobMax) {
      jobs.push({ files: group.slice(at, at + filesPerJobMax) });
    }
  }
  const weight = ({ files: of }: TestJob) =>
    of.reduce((sum, file) => sum + (durationsMs[file] ?? Number.POSITIVE_INFINITY), 0);
  return jobs
    .map((job) => ({ job, ms: weight(job) }))
    .sort((a, b) => (a.ms === b.ms ? 0 : b.ms - a.ms))
    .map(({ job }) => job);
}
