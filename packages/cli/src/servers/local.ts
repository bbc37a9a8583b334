import type { Deps } from '../deps.ts';
import type { CommandValues } from '../flags/catalogue.ts';
import type { Handler } from '../handler.ts';
import { loopback } from './bind-address.ts';
import { type ClusterPlace, placeInMemory } from './cluster-place.ts';
import { startCommand } from './command-beside.ts';
import { freePorts } from './free-ports.ts';
import { runSelfContained } from './self-contained.ts';

/**
 * A whole cluster in memory, for tests and CI. All data is lost when it stops, including data that did not fit into
 * memory and was spilled to temporary files.
 */
export const local: Handler<'local'> = (values, deps) => runLocal(values, deps);

/** `onReady` is called when the cluster serves clients. */
export function runLocal(values: CommandValues<'local'>, deps: Deps, onReady?: () => void): Promise<number> {
  const place = placeInMemory();
  const { commandToRun } = deps;
  if (commandToRun !== undefined) return runBeside(commandToRun, place, values, deps);
  const accompany = async () => {
    onReady?.();
    return { lines: [], stop: async () => {} };
  };
  return runSelfContained({ ...selfContained(place), prints: values.output, accompany }, values, deps);
}

function selfContained(place: ClusterPlace) {
  return {
    ...place,
    name: 'local' as const,
    zone: 'local',
    notes: [`API key        ${place.identity.applicationKey}`, 'data is lost when it stops'],
    facts: { api_key: place.identity.applicationKey },
  };
}

/**
 * Runs a command beside the cluster, and returns its status. The command learns the ports from its environment, so
 * taken ones are replaced; standard output belongs to the command.
 */
async function runBeside(
  words: readonly string[],
  place: ClusterPlace,
  values: CommandValues<'local'>,
  deps: Deps,
): Promise<number> {
  const { environment, clock } = deps;
  const { kafkaPort, httpPort, consolePort, schemaRegistryPort, bindAddress = loopback } = values;
  const wanted = { kafkaPort, httpPort, consolePort, schemaRegistryPort };
  const ended = new AbortController();
  let status = 0;
  const exit = await runSelfContained(
    {
      ...selfContained(place),
      prints: 'nothing',
      async accompany(cluster) {
        const { applicationKey: apiKey } = place.identity;
        const command = await startCommand(words, cluster, { apiKey, environment, clock });
        command.status.then((own) => {
          status = own;
          ended.abort();
        });
        return { lines: [], stop: () => command.stop() };
      },
    },
    { ...values, ...(await freePorts(bindAddress, wanted)) },
    { ...deps, stop: AbortSignal.any([deps.stop, ended.signal]) },
  );
  return exit === 0 ? status : exit;
}
