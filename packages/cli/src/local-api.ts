import type { Environment } from '@weir/core';
import type { CommandName } from './commands/catalogue.ts';
import type { FlagName, FlagValues } from './flags/catalogue.ts';
import { apiTools } from './flags/rows/takers.ts';
import type { Setting } from './flags/settings.ts';
import type { Outcome } from './outcome.ts';
import type { Problem } from './problem.ts';
import { runningClusters } from './servers/running-clusters.ts';

/** Tools that create keys, which application keys may not. */
const keyTools: readonly CommandName[] = ['cli create-key', 'cli mcp-config'];

/** Values with the address and the key of the API, and a note about them for the user. */
interface FoundApi {
  readonly values: FlagValues;
  readonly note?: string;
}

/**
 * Adds the address and the key of the playground, demo or local cluster of this machine, if the tool needs the API and
 * the user has set neither. Of several clusters the user chooses.
 */
export function withLocalApi(
  command: CommandName,
  values: FlagValues,
  settings: ReadonlyMap<FlagName, Setting>,
  environment: Environment,
): Outcome<FoundApi, Problem> {
  const isApiTool = command === 'apply' || (apiTools as readonly CommandName[]).includes(command);
  const asksLeader = command === 'cli diagnose-record' && values.bucketURL === undefined;
  // Other brokers may belong to another cluster, whose credentials the API of this machine does not know.
  const asksThisMachine =
    command === 'cli who-may' && !settings.has('bootstrap-host') && !settings.has('bootstrap-port');
  if ((!isApiTool && !asksLeader && !asksThisMachine) || settings.has('apiURL') || settings.has('apiKey'))
    return { value: { values } };
  const [only, ...others] = runningClusters(environment);
  if (only === undefined || (asksThisMachine && others.length > 0)) return { value: { values } };
  if (others.length > 0) {
    const found = [only, ...others].map(({ name, apiUrl }) => `${apiUrl} (${name})`).join(', ');
    return { problem: { rule: `several clusters run on this machine; set -api-url and -api-key: ${found}` } };
  }
  const { name, apiUrl: apiURL, accountKey, applicationKey } = only;
  const apiKey = keyTools.includes(command) ? accountKey : applicationKey;
  return { value: { values: { ...values, apiURL, apiKey }, note: `using weir ${name} at ${apiURL}` } };
}
