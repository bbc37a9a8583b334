import { clusterKind } from '@weir/core';
import type { FlagValues } from '../flags/catalogue.ts';
import { forbidden, type Rule, type Violation } from './rule.ts';

type Values = Pick<FlagValues, 'enableRipcord' | 'defaultVirtualClusterID'>;

export function checkRipcord(values: Values): Violation | undefined {
  const kind = clusterKind(values.defaultVirtualClusterID);
  if (!values.enableRipcord || kind === 'kafka') return undefined;
  return forbidden(['enableRipcord', 'defaultVirtualClusterID'], `not supported with a ${kind} cluster`)
    .problem;
}

export const ripcordRule: Rule = {
  statement:
    '-enableRipcord works neither with schema registry clusters (vci_sr_) nor with data lake clusters (vci_dl_).',
  flags: ['enableRipcord', 'defaultVirtualClusterID'],
  commands: ['agent'],
  check: checkRipcord,
};
