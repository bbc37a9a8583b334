import { quotas } from '../../values/quotas.ts';
import { text } from '../../values/text.ts';
import { available } from '../row.ts';

const quotaTools = ['cli describe-quotas', 'cli alter-quotas'] as const;

const ofDefault = '<default> is the default of all that have no quota of their own.';

/** Whose quotas, and which. */
export const quotaFlags = [
  available({
    name: 'quota-user',
    type: text('user'),
    commands: quotaTools,
    help: 'The user whose quotas to show or set.',
    rule: ofDefault,
  }),
  available({
    name: 'quota-client-id',
    type: text('id'),
    commands: quotaTools,
    help: 'The client id whose quotas to show or set.',
    rule: `With -quota-user, only its clients with this id. ${ofDefault}`,
  }),
  available({
    name: 'quota-ip',
    type: text('address'),
    commands: quotaTools,
    help: 'The IP address whose quotas to show or set.',
    rule: ofDefault,
  }),
  available({
    name: 'quota',
    type: quotas(),
    commands: ['cli alter-quotas'],
    help: 'The quotas to set; others keep their value.',
    rule: 'unlimited removes a quota.',
  }),
];
