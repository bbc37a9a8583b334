import type { CommandName } from '../commands/catalogue.ts';
import { type FlagName, type FlagValues, flagRow } from '../flags/catalogue.ts';
import type { Setting } from '../flags/settings.ts';
import { shownFlag, withShownFlags } from '../flags/shown-flag.ts';
import { type Problem, shownSetting } from '../problem.ts';
import { aclToolsRule } from './acl-tools.ts';
import { agentIdentityRule } from './agent-identity.ts';
import { applyRule } from './apply.ts';
import { bindAddressRule } from './bind-address.ts';
import { bucketRule } from './buckets.ts';
import { clientLoginRule } from './client-login.ts';
import { clientTlsRule } from './client-tls.ts';
import { consoleToolsRule } from './console-tools.ts';
import { controlPlaneAddressRule } from './control-plane-address.ts';
import { eventToolsRule } from './event-tools.ts';
import { externalRegistryRule } from './external-registry.ts';
import { flushSizeRule } from './flush-size.ts';
import { portRule } from './ports.ts';
import { processRule } from './processes.ts';
import { proxyProtocolRule } from './proxy-protocol.ts';
import { quotaToolsRule } from './quota-tools.ts';
import { recordEncodingRule } from './record-encoding.ts';
import { recordToolsRule } from './record-tools.ts';
import { regionRule } from './regions.ts';
import { registryToolsRule } from './registry-tools.ts';
import { resetOffsetsRule } from './reset-offsets.ts';
import { ripcordRule } from './ripcord.ts';
import { roleRule } from './roles.ts';
import type { Rule, Violation } from './rule.ts';
import { saslRule } from './sasl.ts';
import { servedClusterRule } from './served-cluster.ts';
import { servingThreadRule } from './serving-threads.ts';
import { tableMetadataRule } from './table-metadata.ts';
import { tlsRule } from './tls.ts';
import { toolNeedsRule } from './tool-needs.ts';
import { whoMayRule } from './who-may.ts';

/** Every rule over more than one flag, in the order in which they are checked. */
export const rulebook: readonly Rule[] = [
  agentIdentityRule,
  regionRule,
  controlPlaneAddressRule,
  bucketRule,
  roleRule,
  ripcordRule,
  servedClusterRule,
  tableMetadataRule,
  flushSizeRule,
  externalRegistryRule,
  portRule,
  bindAddressRule,
  processRule,
  servingThreadRule,
  proxyProtocolRule,
  saslRule,
  tlsRule,
  clientTlsRule,
  clientLoginRule,
  toolNeedsRule,
  consoleToolsRule,
  resetOffsetsRule,
  aclToolsRule,
  quotaToolsRule,
  whoMayRule,
  applyRule,
  eventToolsRule,
  recordToolsRule,
  recordEncodingRule,
  registryToolsRule,
];

/** The first rule of a command that the values violate in this way, as a message for the user. */
export function brokenRule(
  kind: Violation['kind'],
  command: CommandName,
  values: FlagValues,
  settings: ReadonlyMap<FlagName, Setting>,
): Problem | undefined {
  for (const rule of rulebook) {
    if (!rule.commands.includes(command)) continue;
    const violation = rule.check?.(values, command);
    if (violation?.kind === kind) return violationProblem(violation, command, values, settings);
  }
  return undefined;
}

function violationProblem(
  { flags, rule }: Violation,
  command: CommandName,
  values: FlagValues,
  settings: ReadonlyMap<FlagName, Setting>,
): Problem {
  const shownRule = withShownFlags(rule, command);
  if (rule.startsWith('is required')) {
    return { rule: `${flags.map((name) => shownFlag(name, command)).join(' with ')} ${shownRule}` };
  }
  const shown = flags.map((name) => {
    const setting = settings.get(name);
    if (setting !== undefined) return shownSetting(setting.row, setting.spelling, setting.text);
    const value = values[name];
    if (value === undefined) return shownFlag(name, command);
    const row = flagRow(name);
    return `${shownSetting(row, shownFlag(name, command), row.type.print(value))} (the default)`;
  });
  return { subject: shown.join(' with '), rule: shownRule };
}
