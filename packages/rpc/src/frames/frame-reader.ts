import type { Column } from '@weir/cluster/shapes';
import { JsonReader, jsonStepsPerTurn } from '@weir/core';
import { rpcLimits } from '../limits.ts';
import { placeColumnsInTurns } from './column-places.ts';
import { FrameTooLarge, notJson, tooDeep } from './frame-error.ts';
import type { Frame } from './frame-kinds.ts';

/** A frame whose body is not read yet. */
export interface OpenedFrame extends Omit<Frame, 'body'> {
  readonly text: string;
  readonly columns: readonly Column[];
}

/**
 * Reads a frame with a long body, with other work in between: the parser cannot be interrupted, and some bodies take it
 * more than 100 ms.
 */
export class FrameReader {
  readonly #opened: OpenedFrame;
  readonly #reader: JsonReader;
  #placing: Generator<undefined, unknown> | undefined;

  constructor(opened: OpenedFrame) {
    this.#opened = opened;
    // The innermost object of a body may stand for a column.
    const depthMax = rpcLimits.rpcDepthMax + 1;
    // An object is listed and copied at once, which takes 100 ms for 300,000 names.
    const bounds = { depthMax, valuesMax: Number.POSITIVE_INFINITY, namesMax: rpcLimits.rpcObjectNamesMax };
    this.#reader = new JsonReader(opened.text, { bounds });
  }

  /** Reads on for some milliseconds, and returns the frame once it is read. Throws a `FrameError`. */
  advance(): Frame | undefined {
    const { kind, id } = this.#opened;
    if (this.#placing === undefined) {
      if (!this.#advanceText()) return undefined;
      const { text, columns } = this.#opened;
      this.#placing = placeColumnsInTurns(this.#reader.value, text, columns);
    }
    const { done = false, value: body } = this.#placing.next();
    return done ? { kind, id, body } : undefined;
  }

  #advanceText(): boolean {
    let isRead: boolean;
    try {
      isRead = this.#reader.advance(jsonStepsPerTurn);
    } catch {
      throw notJson();
    }
    const { broken } = this.#reader;
    if (broken === 'namesMax') {
      const { kind, id } = this.#opened;
      throw new FrameTooLarge(kind, id, `object with more than ${rpcLimits.rpcObjectNamesMax} names`);
    }
    if (broken !== undefined) throw tooDeep();
    return isRead;
  }
}
