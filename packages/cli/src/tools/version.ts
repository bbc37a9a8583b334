import { release } from '@weir/core';
import type { Handler } from '../handler.ts';

export const version: Handler<'version'> = (_values, { output }) => {
  output.out(`weir ${release}\n`);
  return 0;
};
