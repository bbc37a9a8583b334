import type { Mapping } from '@weir/bloblang';
import type { ComponentContext } from '../component/component-context.ts';
import { type ComponentSpec, componentWith } from '../component/component-spec.ts';
import { eachMessage } from '../component/failures.ts';
import { mapping } from '../component/field-types.ts';
import type { Processor } from '../component/instances.ts';
import type { Batch, Message } from '../component/message.ts';

/** Applies a mapping to each message of a batch. */
class MappingProcessor implements Processor {
  readonly #type: string;
  readonly #mapping: Mapping;
  readonly #context: ComponentContext;
  readonly #startsFromDocument: boolean;

  constructor(type: string, mapping: Mapping, context: ComponentContext) {
    this.#type = type;
    this.#mapping = mapping;
    this.#context = context;
    this.#startsFromDocument = type === 'mutation';
  }

  process(batch: Batch): readonly Batch[] {
    return eachMessage(batch, this.#context, this.#type, (message, index) =>
      this.#mapped(batch, message, index),
    );
  }

  #mapped(batch: Batch, message: Message, index: number): Message | undefined {
    const options = { batch, index, startsFromDocument: this.#startsFromDocument };
    const result = this.#mapping.apply(message, options, this.#context.mappingPorts);
    if (result.kind === 'deleted') return undefined;
    const metadata = result.metadata ?? message.metadata;
    // The document itself need not be printed again.
    if (result.kind === 'value' && result.value !== message.value)
      return message.withValue(result.value, metadata, result.isPlain, result.text);
    return metadata === message.metadata ? message : message.withMetadata(metadata);
  }
}

function mappingSpec(name: string, about: string): ComponentSpec<'processor'> {
  return componentWith('processor', {
    name,
    about,
    field: mapping('The mapping.'),
    open: (compiled, context) =>
      compiled === undefined
        ? { process: (batch) => [batch] }
        : new MappingProcessor(name, compiled, context),
  });
}

export const mappingProcessors = [
  mappingSpec(
    'mapping',
    'Makes a new document of each message by a mapping; the message stays as it was if it assigns nothing.',
  ),
  mappingSpec('mutation', 'Changes the document of each message by a mapping.'),
  mappingSpec('bloblang', 'The former name of `mapping`.'),
];
