import { hash } from 'node:crypto';
import { parseJsonAs } from '@weir/api';
import * as z from 'zod';
import { ToolProblem } from './problem.ts';

const cursorSchema = z.tuple([z.string(), z.string()]);

/**
 * A cursor: where the next rows of an answer begin. It is bound to its query and refused with another one. It grants no
 * access; permissions are checked again with each call.
 */
export function cursorText(question: string, place: string): string {
  return Buffer.from(JSON.stringify([question, place])).toString('base64url');
}

export function placeIn(cursor: string, question: string): string {
  const found = parseJsonAs(cursorSchema, Buffer.from(cursor, 'base64url').toString());
  if (found === undefined)
    throw new ToolProblem(
      'invalid_cursor',
      'cursor is not the next_cursor of an earlier result. Leave it out.',
    );
  const [ofQuestion, place] = found;
  if (ofQuestion !== question)
    throw new ToolProblem(
      'invalid_cursor',
      'cursor belongs to a call with other arguments. Repeat those arguments, or leave it out.',
    );
  return place;
}

/** Returns a key that is equal for equal queries. */
export function questionOf(tool: string, args: Readonly<Record<string, unknown>>): string {
  const { cursor, limit, format, max_tokens, ...query } = args;
  return hash('sha256', JSON.stringify([tool, query]), 'base64url').slice(0, 12);
}
