import { release } from '@weir/core';
import type { Handler } from '../handler.ts';
import { printResult } from '../results/results.ts';

export const version: Handler<'version'> = (values, deps) => {
  return printResult(values, deps, { json: { release }, text: () => `weir ${release}\n` });
};
