import { release } from '@weir/core';
import type { Handler } from '../handler.ts';
import { printResult } from '../results/results.ts';

export const version: Handler<'version'> = (values, deps) => {
  printResult(values, deps, { json: { release }, text: () => `weir ${release}\n` });
  return 0;
};
