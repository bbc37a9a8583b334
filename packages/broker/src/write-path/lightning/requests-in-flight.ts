/** Requests that began between two changes of topics. */
interface Group {
  count: number;
  onEmpty: (() => void) | undefined;
}

/** Requests of a write path that are not answered yet. */
export class RequestsInFlight {
  #latest: Group = { count: 0, onEmpty: undefined };
  /** Resolves when the requests of all groups before the latest are answered. */
  #earlier: Promise<void> | undefined;

  /** Counts a request. The result is for `end`. */
  begin(): Group {
    this.#latest.count++;
    return this.#latest;
  }

  end(group: Group): void {
    if (--group.count === 0) group.onEmpty?.();
  }

  /** Resolves when the requests that have begun by now are answered; `undefined` if there are none. */
  answered(): Promise<void> | undefined {
    const group = this.#latest;
    if (group.count === 0) return this.#earlier;
    const empty = new Promise<void>((resolve) => {
      group.onEmpty = resolve;
    });
    this.#latest = { count: 0, onEmpty: undefined };
    const all = Promise.all([this.#earlier, empty]).then(() => {
      if (this.#earlier === all) this.#earlier = undefined;
    });
    this.#earlier = all;
    return all;
  }
}
