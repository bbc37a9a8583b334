import { ApiError } from '@weir/api';
import { nearestNames } from '@weir/core';
import { ToolProblem } from '../answers/problem.ts';

interface Sought {
  readonly name: string;
  /** `topic`, which is in the code of the error too. */
  readonly noun: string;
  /** The tool that lists all. */
  readonly listedBy: string;
  /** Reads the names that there are. */
  names(): Promise<readonly string[]>;
}

/** Turns a failure to find something by its name into one that suggests a similar name: it is often a typo. */
export function orSuggest({ name, noun, listedBy, names }: Sought): (error: unknown) => Promise<never> {
  return async (error) => {
    if (!(error instanceof ApiError) || error.code !== 'not_found') throw error;
    const known = await names();
    if (known.includes(name)) throw error;
    const near = nearestNames(name, known);
    const hint = near.length > 0 ? `Similar names: ${near.join(', ')}.` : `${listedBy} lists them.`;
    throw new ToolProblem(`${noun}_not_found`, `The virtual cluster has no ${noun} of this name. ${hint}`);
  };
}
