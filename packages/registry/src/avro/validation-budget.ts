import { registryLimits } from '../limits.ts';
import { InvalidSchema } from '../schema-format.ts';

/** Bounds checks whose cost is a product of parts of the schema. */
export class ValidationBudget {
  #stepsLeft: number = registryLimits.avroValidationStepsMax;

  step(): void {
    this.#stepsLeft -= 1;
    if (this.#stepsLeft < 0) {
      throw new InvalidSchema(
        'the schema is too costly to validate; use smaller unions for fields that have defaults',
      );
    }
  }
}
