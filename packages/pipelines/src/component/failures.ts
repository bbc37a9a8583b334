import { MappingFailure } from '@weir/bloblang';
import type { ComponentContext } from './component-context.ts';
import type { Message } from './message.ts';

const charsMax = 2000;

/** The text of an error in one line. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error || error instanceof MappingFailure ? error.message : String(error);
  return text.replaceAll(/\s+/g, ' ').trim().slice(0, charsMax);
}

/** The message with the error of a component, which it carries on. */
export function failedBy(
  message: Message,
  error: unknown,
  { label, path }: Pick<ComponentContext, 'label' | 'path'>,
  type: string,
): Message {
  return message.withError({ message: reasonOf(error), label, path, type });
}

/** Applies a function to each message; where it throws, the message flows on unchanged and failed. */
export function eachMessage(
  batch: readonly Message[],
  context: Pick<ComponentContext, 'label' | 'path'>,
  type: string,
  change: (message: Message, index: number) => Message | undefined,
): readonly (readonly Message[])[] {
  const changed: Message[] = [];
  for (let index = 0; index < batch.length; index++) {
    const message = batch[index]!;
    try {
      const result = change(message, index);
      if (result !== undefined) changed.push(result);
    } catch (error) {
      changed.push(failedBy(message, error, context, type));
    }
  }
  return changed.length === 0 ? [] : [changed];
}

/** The same for what takes time; messages are worked on side by side and keep their order. */
export async function eachMessageLater(
  batch: readonly Message[],
  context: Pick<ComponentContext, 'label' | 'path'>,
  type: string,
  change: (message: Message, index: number) => Promise<Message | undefined>,
): Promise<readonly (readonly Message[])[]> {
  const results = await Promise.all(
    batch.map((message, index) =>
      change(message, index).catch((error: unknown) => failedBy(message, error, context, type)),
    ),
  );
  const changed = results.filter((result) => result !== undefined);
  return changed.length === 0 ? [] : [changed];
}

/** The same for what takes time and may depend on what it did for the message before: one after the other. */
export async function eachMessageInTurn(
  batch: readonly Message[],
  context: Pick<ComponentContext, 'label' | 'path'>,
  type: string,
  change: (message: Message, index: number) => Promise<Message>,
): Promise<readonly (readonly Message[])[]> {
  const changed: Message[] = [];
  for (const [index, message] of batch.entries()) {
    try {
      changed.push(await change(message, index));
    } catch (error) {
      changed.push(failedBy(message, error, context, type));
    }
  }
  return [changed];
}
