import { expect } from "chai";
import { BrowserMarks } from "#services/gateway/callers/browser-marks.ts";

const name = "__Host-atelier_browser";

describe("BrowserMarks", () => {
	const marks = new BrowserMarks(true);
	/** Returns the cookie that a browser sends after this header. */
	const sent = ([, header = ""]: readonly string[]) => header.split(";")[0] ?? "";

	it("recognises the browser that it has marked", () => {
		const { browser, headers } = marks.mark({});
		const cookie = sent(headers);
		expect(marks.read({ cookie: `a=b; ${cookie}; c` })).to.deep.equal({ browser, headers: [] });
		expect(marks.mark({ cookie }).browser, "the mark stays").to.equal(browser);
		expect(marks.mark({}).browser, "another browser").not.to.equal(browser);
		expect(headers[1], "the mark itself is in no metadata").not.to.contain(browser);
	});

	it("sets cookies that no page reads and no neighbouring host sets", () => {
		expect(marks.mark({}).headers[1]).to.match(
			/^__Host-atelier_browser=[\w-]{43}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
		);
		expect(new BrowserMarks(false).mark({}).headers[1]).to.match(/^atelier_browser=[\w-]{43}; .*SameSite=Lax$/);
	});

	for (const cookie of ["", `${name}=`, `${name}=short`, `x${name}=${"a".repeat(43)}`, `${name}=${"a".repeat(44)}`])
		it(`reads no mark in "${cookie.slice(0, 40)}"`, () => {
			expect(marks.read({ cookie })).to.deep.equal({ headers: [] });
		});
});
