import { expect } from "chai";
import { loginAnswer } from "#services/gateway/callers/login-answer.ts";
import { HttpError } from "#services/gateway/http/http-errors.ts";

const login = { cookieFor: (text: string) => (text === "right &" ? "token=cookie" : undefined) };

describe("loginAnswer()", () => {
	it("gives the right token a cookie and a URL without the token", () => {
		expect(loginAnswer({ method: "GET", url: "/?token=right+%26" }, login)).to.deep.equal({
			status: 303,
			headers: ["Location", "/docs", "Set-Cookie", "token=cookie"],
		});
	});

	it("refuses every other token with 401, and repeats none", () => {
		for (const url of ["/?token=", "/?token=wrong", "/?token=wrong&token=right+%26"])
			expect(() => loginAnswer({ method: "GET", url }, login), url)
				.to.throw(HttpError)
				.that.deep.includes({ message: "This is not the platform's token: it is printed at its start" })
				.with.nested.property("answer.status", 401);
	});

	it("is for no other request", () => {
		const others: [method: string, url: string | undefined][] = [
			["POST", "/?token=right+%26"],
			["GET", "/"],
			["GET", "/?other=1"],
			["GET", "/docs?token=right+%26"],
			["GET", undefined],
		];
		for (const [method, url] of others)
			expect(loginAnswer({ method, ...(url !== undefined && { url }) }, login), `${method} ${url}`).to.equal(undefined);
	});
});
