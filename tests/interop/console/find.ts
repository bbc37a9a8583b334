import type { Locator, Page } from 'playwright-core';

/*
 * What a person looks for on a page. A text may stand in two places for some seconds, for instance in the table and in
 * the message about what was done, so that each of these looks in one place and for the whole text.
 */

export function button(scope: Page | Locator, name: string): Locator {
  return scope.getByRole('button', { name, exact: true });
}

export function field(scope: Page | Locator, label: string): Locator {
  return scope.getByLabel(label, { exact: true });
}

/** An element of the page itself: not of the sidebar, a dialog or a message. */
export function onPage(page: Page, text: string | RegExp): Locator {
  return page.locator('main').getByText(text, { exact: true });
}

/** The dialog or sheet that is open. Messages have this role too. */
export function dialogOf(page: Page): Locator {
  return page.locator('[role="dialog"]:not([aria-label="Notifications"] *)');
}

/** The button of a message about what was just done. */
export function undoOf(page: Page, text: string | RegExp): Locator {
  const messages = page.getByRole('region', { name: 'Notifications', exact: true }).locator('[data-toast]');
  return button(messages.filter({ hasText: text }), 'Undo');
}

/** One of the messages at the edge of the page. */
export function message(page: Page, text: string | RegExp): Locator {
  return page.getByRole('region', { name: 'Notifications', exact: true }).getByText(text, { exact: true });
}

/** A config in a list of configs. */
export function configRow(page: Page, name: string): Locator {
  return page.getByRole('listitem').filter({ has: page.getByText(name, { exact: true }) });
}
