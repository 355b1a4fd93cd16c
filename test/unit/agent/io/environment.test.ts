import { execFileSync, type StdioOptions } from "node:child_process";
import { expect } from "chai";
import fc from "fast-check";
import { machineEnvironment } from "#agent/io/environment.ts";
import { isSettable } from "#shared/wire/pod/variable-name.ts";

describe("isSettable()", () => {
	for (const name of ["STAGE", "_X", "API_KEY", "GIT_AUTHOR_NAME", "NPM_CONFIG_REGISTRY"]) {
		it(`accepts ${name}`, () => expect(isSettable(name, "value")).to.equal(true));
	}

	const refused = ["PATH", "HOME", "LD_PRELOAD", "NODE_OPTIONS", "BASH_ENV", "ENV", "IFS", "PS4", "GIT_SSH_COMMAND"];
	const more = ["GIT_EXTERNAL_DIFF", "GIT_CONFIG_COUNT", "PYTHONPATH", "PERL5OPT", "HTTPS_PROXY", "SSL_CERT_FILE"];
	for (const name of [
		...refused,
		...more,
		"KUBERNETES_SERVICE_HOST",
		"ATELIER_SESSION",
		"https_proxy",
		"a",
		"A B",
		"A=B",
		"__proto__",
		"",
	]) {
		it(`refuses "${name}"`, () => expect(isSettable(name, "value")).to.equal(false));
	}

	it("lets no program read a variable as anything but its value", () => {
		const piece = fc.constantFrom(
			"'",
			'"',
			"$(exit 9)",
			"`exit 9`",
			"\n",
			"\\",
			";",
			"&",
			"=",
			"!",
			"%s",
			"ä",
			"😀",
			"\u0001",
		);
		const value = fc
			.array(fc.oneof(piece, fc.string({ unit: "grapheme" })), { maxLength: 8 })
			.map((all) => all.join(""));
		// Shells set some names themselves, like `_` and `UID`.
		const name = fc.stringMatching(/^X[A-Z0-9_]{0,12}$/);
		const variables = fc.dictionary(name, value, { minKeys: 20, maxKeys: 40, noNullPrototype: true });
		for (const shell of ["sh", "bash"])
			fc.assert(
				fc.property(variables, (all) => {
					const env = Object.fromEntries(Object.entries(all).filter(([key, text]) => isSettable(key, text)));
					const echo = Object.keys(env).map((key) => `printf '%s\\0' "$${key}"`);
					// bash reads the user's own settings when its input is a socket, as Node's pipes are.
					const stdio: StdioOptions = ["ignore", "pipe", "inherit"];
					const told = execFileSync(shell, ["-c", echo.join(";")], { env, encoding: "utf8", stdio });
					expect(told.split("\0").slice(0, -1)).to.deep.equal(Object.values(env));
				}),
				{ numRuns: 50 },
			);
	}).timeout(30_000);

	it("accepts no name that a shell could interpret", () => {
		const part = fc.constantFrom(
			"A",
			"_",
			"1",
			"=",
			" ",
			"$(id)",
			"\n",
			"a",
			"-",
			"PATH",
			"LD_",
			"GIT_SSH",
			"\0",
			"Ａ",
		);
		fc.assert(
			fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
				const name = parts.join("");
				if (!isSettable(name, "")) return;
				expect(name)
					.to.match(/^[A-Z_][A-Z0-9_]*$/)
					.and.not.match(/^(PATH$|LD_|GIT_SSH)/);
			}),
			{ numRuns: 10_000 },
		);
	});

	it("refuses a value with a NUL", () => expect(isSettable("STAGE", "a\0b")).to.equal(false));
});

describe("machineEnvironment()", () => {
	it("passes only allowed variables", () => {
		const env = {
			PATH: "/bin",
			LANG: "C",
			LC_ALL: "C",
			TZ: "UTC",
			AWS_SECRET_ACCESS_KEY: "x",
			PATHX: "x",
			ATELIER_ROLE: "agent",
		};
		expect(machineEnvironment(env)).to.deep.equal({ PATH: "/bin", LANG: "C", LC_ALL: "C", TZ: "UTC" });
	});
});
