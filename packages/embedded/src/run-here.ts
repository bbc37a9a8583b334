import { run } from '@weir/cli/run';
import { systemClock } from '@weir/core';
import type { TestClusterOptions } from './cluster.ts';
import { localFlags, type RunningCluster } from './running-cluster.ts';

/** `weir local` in this process. */
export async function runHere({ flags = [] }: TestClusterOptions): Promise<RunningCluster> {
  const stop = new AbortController();
  const ready = Promise.withResolvers<Record<string, string>>();
  let printed = '';
  let problems = '';
  const running = run(['local', ...localFlags(flags), '-output', 'json'], {
    // None of the settings that a developer may have for other clusters.
    environment: {},
    output: {
      out(text) {
        printed += text;
        if (printed.endsWith('\n')) ready.resolve(JSON.parse(printed));
      },
      outBytes() {},
      err(text) {
        problems += text;
      },
      isTerminal: false,
      isErrTerminal: false,
      drained: async () => {},
    },
    input: (async function* () {})(),
    clock: systemClock,
    stop: stop.signal,
  });
  running.then(
    () => ready.reject(new Error(`weir: failed to start a cluster: ${problems.trim()}`)),
    ready.reject,
  );
  const at = await ready.promise;
  return {
    addresses: {
      bootstrapServers: at.kafka!,
      schemaRegistryUrl: at.schema_registry!,
      apiUrl: at.control_plane!,
      apiKey: at.api_key!,
    },
    async stop() {
      stop.abort();
      await running;
    },
  };
}
