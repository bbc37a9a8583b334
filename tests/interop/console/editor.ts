import type { Locator } from 'playwright-core';

/** Replaces the text of an editor by the keyboard: `fill` would leave styles in it that the policy of pages refuses. */
export async function replaceText(editor: Locator, text: string): Promise<void> {
  const { keyboard } = editor.page();
  await editor.focus();
  await keyboard.press('Control+a');
  await keyboard.press('Delete');
  await keyboard.insertText(text);
}
