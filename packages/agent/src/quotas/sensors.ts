/**
 * What is measured, by whom it is measured for. Client ids are a client's choice, so that only so many are kept: beyond it the one
 * that was looked at longest ago is forgotten, and begins anew.
 */
export class Sensors<Sensor> {
  readonly #sensors = new Map<string, Sensor>();
  readonly #create: () => Sensor;
  readonly #countMax: number;

  constructor(countMax: number, create: () => Sensor) {
    this.#countMax = countMax;
    this.#create = create;
  }

  get count(): number {
    return this.#sensors.size;
  }

  of(key: string): Sensor {
    const sensor = this.#sensors.get(key) ?? this.#create();
    // A map keeps the order in which its keys were set, so that the first is the one that was looked at longest ago.
    this.#sensors.delete(key);
    this.#sensors.set(key, sensor);
    if (this.#sensors.size > this.#countMax) this.#sensors.delete(this.#sensors.keys().next().value!);
    return sensor;
  }
}
