import { HttpProblem } from '@weir/http';
import { pausePoint } from './log-line.ts';

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const listEnd = 0x5d;
const nonSpace = /\S/;
/** Text that is searched before other requests have their turn. */
const charsPerTurn = 256 * 1024;

interface JsonItem {
  /** Its text; absent if it has too many values. */
  readonly item: string | undefined;
  readonly values: number;
}

/**
 * Yields the texts of the items of a list in JSON, so that each can be parsed by itself, between requests of others.
 * What is no list is the only item. Whether items are JSON is for the caller to find; their depth is bounded, and of an
 * item with too many values only their number is returned.
 */
export function* jsonItems(
  text: string,
  { depthMax, valuesMax }: { readonly depthMax: number; readonly valuesMax: number },
): Generator<JsonItem | typeof pausePoint> {
  const begin = text.search(nonSpace);
  if (begin < 0) return;
  const isList = text[begin] === '[';
  let itemAt = isList ? begin + 1 : begin;
  let depth = 0;
  let values = 0;
  let isInString = false;
  let isOver = false;
  let pauseAt = charsPerTurn;
  const itemOf = (from: number, to: number): JsonItem => ({
    item: values > valuesMax ? undefined : text.slice(from, to),
    values,
  });
  for (let at = begin; at < text.length; at++) {
    if (at >= pauseAt) {
      pauseAt = at + charsPerTurn;
      yield pausePoint;
    }
    const code = text.charCodeAt(at);
    if (isInString) {
      if (code === backslash) at++;
      else if (code === quote) isInString = false;
      continue;
    }
    switch (code) {
      case quote:
        isInString = true;
        break;
      case 0x5b: // [
      case 0x7b: // {
        depth++;
        values++;
        break;
      case listEnd:
      case 0x7d: // }
        depth--;
        if (depth > 0 || !isList) break;
        if (isOver || code !== listEnd) throw notJson();
        isOver = true;
        // An empty list has no items; a comma before its end has an invalid one behind it.
        if (itemAt > begin + 1 || nonSpace.test(text.slice(itemAt, at))) yield itemOf(itemAt, at);
        itemAt = at + 1;
        break;
      case comma:
        values++;
        if (!isList || depth !== 1) break;
        yield itemOf(itemAt, at);
        itemAt = at + 1;
        values = 0;
        break;
    }
    if (depth > depthMax)
      throw new HttpProblem(413, `The body has more than ${depthMax} lists and objects within each other.`);
  }
  if (!isList) yield itemOf(itemAt, text.length);
  else if (!isOver || nonSpace.test(text.slice(itemAt))) throw notJson();
}

/** Messages of the parser would repeat the input. */
export function notJson(): HttpProblem {
  return new HttpProblem(400, 'The body is not JSON.');
}
