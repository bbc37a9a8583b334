import { coreLimits } from '@weir/core';
import { durationMs } from '../../values/numbers.ts';
import { text } from '../../values/text.ts';
import { available } from '../row.ts';
import { credentialTools } from './takers.ts';

/** Rotation of the password of a credential. */
export const credentialFlags = [
  available({
    name: 'credential',
    type: text('credential'),
    commands: credentialTools,
    help: 'The credential, by name, user name or id.',
  }),
  available({
    name: 'overlap',
    type: durationMs({ min: 0, max: coreLimits.passwordOverlapSecondsMax * 1000 }),
    default: 86_400_000,
    commands: ['cli rotate-credential'],
    help: 'How long the old password stays valid.',
    rule: '0s ends it at once.',
  }),
];
