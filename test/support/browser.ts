/** A real browser, without a window and without a network beyond what a test lets it load. Needs: chromium. */
import { type Browser, chromium } from "playwright-core";
import { testProgram } from "./machine/test-program.ts";

export interface TestBrowser extends AsyncDisposable {
	readonly browser: Browser;
}

/** @throws {Error} when there is none. */
export async function openBrowser(): Promise<TestBrowser> {
	const browser = await chromium.launch({
		executablePath: testProgram("chromium"),
		args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"],
	});
	return { browser, [Symbol.asyncDispose]: () => browser.close() };
}
