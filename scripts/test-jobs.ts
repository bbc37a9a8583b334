/** Test files that run in one process, one after the other. */
export interface TestJob {
  readonly files: readonly string[];
}

/**
 * Folders whose files share processes, and how many. A process start costs as much as most files, because it loads the
 * modules of a package again.
 */
const sharedFolders: Readonly<Record<string, number>> = {
  // Pure: no sockets, processes, timers or global state.
  'packages/api/src/': 24,
  'packages/bloblang/src/': 24,
  'packages/console/src/': 40,
  'packages/core/src/': 24,
  'packages/events/src/filter/': 24,
  'packages/cluster/src/acls/': 24,
  'packages/cluster/src/configs/': 24,
  'packages/groups/src/': 24,
  'packages/iceberg/src/': 24,
  'packages/machine/src/': 24,
  'packages/mcp/src/': 24,
  'packages/oidc/src/': 24,
  'packages/wire/src/': 24,
  'packages/cli/src/flags/': 24,
  'packages/cli/src/rules/': 24,
  'packages/cli/src/values/': 24,
  'packages/diagnostics/src/': 24,
  // Some listen on ports or write files, and clean up behind themselves.
  'packages/agent/src/': 16,
  'packages/broker/src/': 16,
  'packages/client/src/': 8,
  'packages/gateway/src/': 16,
  'packages/http/src/': 16,
  'packages/jobs/src/': 16,
  'packages/migration/src/': 16,
  'packages/pipelines/src/': 16,
  'packages/security/src/': 16,
  'packages/cli/src/apply/': 8,
  'packages/cli/src/demo/': 8,
  'packages/cli/src/results/': 8,
  'packages/cli/src/servers/': 8,
  'packages/cli/src/tools/': 8,
  'packages/cluster/src/': 16,
  'packages/controlplane/src/': 16,
  'packages/events/src/': 8,
  'packages/journal/src/': 8,
  'packages/metadata/src/': 8,
  'packages/registry/src/': 16,
  'packages/rpc/src/': 8,
  'packages/sql/src/': 8,
  'packages/storage/src/': 16,
  'packages/tables/src/': 8,
  // Tests of what other packages test with.
  'packages/core/testing/': 8,
  // Files that are not in a folder of above.
  'packages/cli/src/': 8,
  'tests/house/': 12,
};

/** Tests that measure their own heap, whatever their folder. */
const measuresHeap = /\/memory(?:-store)?\.test\.ts$/;

/** Files that take longer than most jobs: each has a process of its own, and they start first. */
const longFiles: readonly string[] = [
  'bench/bench.test.ts',
  'packages/controlplane/src/api-server/permissions-of-calls.test.ts',
  'packages/broker/src/dispatch/many-entries.test.ts',
  'packages/controlplane/src/accounts/accounts.test.ts',
  'packages/cli/src/servers/stopping.test.ts',
  'packages/cli/src/servers/local.test.ts',
  'packages/agent/src/events/emission.test.ts',
  'packages/cli/src/bin.test.ts',
  'packages/controlplane/src/process/control-plane-process.test.ts',
  'packages/cli/src/apply/apply.test.ts',
  'packages/metadata/src/leader/failover.test.ts',
  'packages/api/src/browser.test.ts',
  'tests/interop/go/franz-go-suite.test.ts',
  'tests/interop/brokers/failures.test.ts',
  'tests/interop/readme/readme.test.ts',
  'tests/interop/applications/verifiable.test.ts',
  'tests/interop/brokers/consumer-groups.test.ts',
  'tests/interop/security/mechanisms.test.ts',
  'tests/interop/postgres/agents.test.ts',
  'tests/interop/agent/planted-secrets.test.ts',
  'tests/interop/applications/streams.test.ts',
  'tests/interop/migration/applications.test.ts',
  'tests/interop/brokers/share-groups.test.ts',
  'tests/interop/postgres/accounts.test.ts',
];

/** The duration of a file that has not run here yet. */
const usualMs = 1_000;

/**
 * Orders jobs by duration, longest first, so that no core waits for a long job at the end. Durations of files that have
 * not run here yet are guessed.
 */
export function planJobs(
  files: readonly string[],
  durationsMs: Readonly<Record<string, number>>,
): readonly TestJob[] {
  const jobs: TestJob[] = [];
  const shared = new Map<string, string[]>();
  for (const file of files) {
    const folder = isAlone(file)
      ? undefined
      : Object.keys(sharedFolders).find((candidate) => file.startsWith(candidate));
    if (folder === undefined) jobs.push({ files: [file] });
    else shared.set(folder, [...(shared.get(folder) ?? []), file]);
  }
  for (const [folder, group] of shared) {
    const size = sharedFolders[folder]!;
    for (let at = 0; at < group.length; at += size) jobs.push({ files: group.slice(at, at + size) });
  }
  const guessMs = (file: string) => (longFiles.includes(file) ? Number.POSITIVE_INFINITY : usualMs);
  const weight = ({ files: of }: TestJob) =>
    of.reduce((sum, file) => sum + (durationsMs[file] ?? guessMs(file)), 0);
  return jobs
    .map((job) => ({ job, ms: weight(job) }))
    .sort((a, b) => (a.ms === b.ms ? 0 : b.ms - a.ms))
    .map(({ job }) => job);
}

function isAlone(file: string): boolean {
  return measuresHeap.test(file) || longFiles.includes(file);
}
