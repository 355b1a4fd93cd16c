/** A real browser, without a window and without a network beyond what a test lets it load. */
import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const program = "/usr/bin/chromium";

export interface TestBrowser extends AsyncDisposable {
	readonly browser: Browser;
}

/** @throws {Error} when there is none; in CI that is a failure. */
export async function openBrowser(): Promise<TestBrowser> {
	if (!existsSync(program)) throw new Error(`There is no browser at ${program}; Debian's package is "chromium"`);
	const browser = await chromium.launch({
		executablePath: program,
		args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"],
	});
	return { browser, [Symbol.asyncDispose]: () => browser.close() };
}
