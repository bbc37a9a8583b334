import { bool } from '../../values/bool.ts';
import { durationMs, int, port } from '../../values/numbers.ts';
import { available, planned } from '../row.ts';

export const demoFlags = [
  available({
    name: 'rate',
    type: int({ min: 1, max: 1_000 }),
    default: 30,
    commands: ['demo'],
    help: 'The average number of shop events per second; most produce one record.',
    rule: 'The rate varies by 60 % over ten minutes.',
  }),
  available({
    name: 'seed',
    type: int({ min: 0, max: 2 ** 32 - 1 }),
    default: 1,
    commands: ['demo'],
    help: 'The seed of the records: demos with the same seed produce the same records, apart from timestamps.',
  }),
  available({
    name: 'duration',
    type: durationMs({ min: 1_000 }),
    commands: ['demo'],
    help: 'Stop after this time.',
    rule: 'Default: run until stopped.',
  }),
  available({
    name: 'diagnosticsInterval',
    type: durationMs({ min: 100, max: 60_000 }),
    default: 10_000,
    commands: ['demo'],
    help: 'How often diagnostics run; elsewhere once a minute.',
  }),
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
