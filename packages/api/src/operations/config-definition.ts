import { coreLimits } from '@weir/core';
import * as z from 'zod';
import { list, prose, text } from '../fields.ts';

/** The value of a config. */
export const configText = () => prose(coreLimits.configTextCharsMax);

/** What a config is and which values it takes, whatever it is a config of. */
export const configDefinitionFields = {
  name: text(256).describe('The config.'),
  type: z.enum(['boolean', 'string', 'int', 'long', 'double', 'list']).describe('What its values are.'),
  rule: prose().describe('What a value must be, as the end of a sentence that begins with "must be".'),
  words: list(text(256), 100).nullable().describe('All words that it takes; `null` if it takes others.'),
  minimum: text(32).nullable().describe('The least number, as text; `null` for other types.'),
  maximum: text(32).nullable().describe('The largest number, as text; `null` for other types.'),
  documentation: prose().describe('What it does.'),
  has_effect: z.boolean().describe('Whether it does anything; others are kept because tools set them.'),
};
