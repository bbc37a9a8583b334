/** Something that clients of a server share, such as places or memory. One client has at most half of it. */
export class FairShare {
  readonly #max: number;
  readonly #byClient = new Map<string, number>();
  #taken = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Takes an amount, unless that is too much. */
  take(client: string, amount: number): boolean {
    const own = (this.#byClient.get(client) ?? 0) + amount;
    if (this.#taken + amount > this.#max || own > this.#max / 2) return false;
    this.#taken += amount;
    this.#byClient.set(client, own);
    return true;
  }

  giveBack(client: string, amount: number): void {
    const left = (this.#byClient.get(client) ?? 0) - amount;
    this.#taken -= amount;
    if (left > 0) this.#byClient.set(client, left);
    else this.#byClient.delete(client);
  }
}
