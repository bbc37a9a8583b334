import { bool } from '../../values/bool.ts';
import { port } from '../../values/numbers.ts';
import { planned } from '../row.ts';

export const demoFlags = [
  planned({
    name: 'enableClusterWideEnvironment',
    type: bool(),
    default: false,
    commands: ['demo'],
    help: 'Let further demo agents on this machine join this one.',
  }),
  planned({
    name: 'clusterWideEnvironmentPort',
    type: port(),
    default: 9081,
    commands: ['demo'],
    help: 'The port on which further demo agents join.',
  }),
];
