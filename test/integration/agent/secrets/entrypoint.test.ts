/** The environment file and the entrypoint in real shells: values arrive as they are, whatever is in them. */
import { expect } from "chai";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { throughEntrypoint } from "#agent/io/entrypoint.ts";
import { environmentFile } from "#shared/wire/pod/environment-file.ts";
import { isSettable } from "#shared/wire/pod/variable-name.ts";
import { hostileValues } from "../../../support/hostile/hostile-values.ts";

const count = 10_000;

describe("the environment file", function () {
	this.timeout(60_000);
	let folder: string;

	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "atelier-entrypoint-"));
	});

	afterEach(() => {
		rmSync(folder, { recursive: true, force: true });
	});

	const places = (process.env["PATH"] ?? "").split(":");
	/** Those of the two shells that this machine has; one of them is its `sh`. */
	const shells = ["dash", "bash"].flatMap((name) => places.map((place) => join(place, name)).find(existsSync) ?? []);

	/** Sources a file with these lines in a shell, and returns the values of its variables. */
	function sourced(shell: string, text: string, names: readonly string[]): string[] {
		const file = join(folder, "env.sh");
		writeFileSync(file, text);
		const script = join(folder, "print.sh");
		writeFileSync(script, `. "${file}"\nprintf '%s\\0' ${names.map((name) => `"$${name}"`).join(" ")}\n`);
		const output = execFileSync(shell, [script], { env: { PATH: "/nonexistent" }, maxBuffer: 64 * 1_048_576 });
		return output.toString("utf8").split("\0").slice(0, -1);
	}

	for (const shell of shells) {
		it(`gives ${basename(shell)} ${count} hostile values unchanged`, () => {
			const values = hostileValues(count);
			const variables = Object.fromEntries(values.map((value, index) => [`V_${index}`, value]));
			const wrong = sourced(shell, environmentFile(variables), Object.keys(variables)).flatMap((found, index) =>
				found === values[index] ? [] : [[values[index], found]],
			);
			expect(wrong).to.deep.equal([]);
			expect(new Set(values).size).to.be.above(count * 0.9);
		});

		it(`ends no program of ${basename(shell)} by a variable that is the shell's own`, () => {
			const own = "UID EUID PPID SHELLOPTS BASHOPTS BASH_VERSINFO OPTIND OPTARG LINENO RANDOM SECONDS PWD HISTSIZE _";
			const settable = own.split(" ").filter((name) => isSettable(name, "s3cret"));
			const text = environmentFile({ ...Object.fromEntries(settable.map((name) => [name, "s3cret"])), AFTER: "there" });
			const file = join(folder, "env.sh");
			writeFileSync(file, text);
			// Many systems have bash as their `sh`, where an error of this kind ends it.
			const posix = basename(shell) === "bash" ? ["--posix"] : [];
			const args = [...posix, "-c", '. "$1"; printf "%s" "$AFTER"', "sh", file];
			expect(execFileSync(shell, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })).to.equal("there");
		});

		it(`would be found wrong in ${basename(shell)} with the quoting of the original`, () => {
			const naive = "export V='it's'; touch canary #'\n";
			expect(sourced(shell, naive, ["V"])).not.to.deep.equal(["it's'; touch canary #"]);
		});
	}

	it("refuses names that no launch may set, and NUL", () => {
		for (const name of ["PATH", "LD_PRELOAD", "a", "A B", "A;x", "A=B", "1A", "", "A\n", "BASH_ENV", "ATELIER_SECRETS"])
			expect(() => environmentFile({ [name]: "s3cret" }), name)
				.to.throw(RangeError)
				.and.not.match(/s3cret/);
		expect(() => environmentFile({ A: "a\0b" })).to.throw(RangeError);
	});

	describe("at the entrypoint", () => {
		function run(script: string): string {
			const secrets = join(folder, "it's a folder");
			mkdirSync(secrets, { recursive: true });
			const [program = "", ...args] = throughEntrypoint(["sh", "-c", script, "name", "one two", "$three"], {
				ATELIER_SECRETS: secrets,
			});
			return execFileSync(program, args, {
				env: { PATH: process.env["PATH"], ATELIER_SECRETS: secrets },
				encoding: "utf8",
			});
		}

		it("is sourced, and the program gets its arguments and the variables", () => {
			mkdirSync(join(folder, "it's a folder"));
			writeFileSync(join(folder, "it's a folder", "env.sh"), environmentFile({ A: "it's", B: "" }));
			expect(run('printf "%s|%s|%s|%s" "$A" "$B" "$1" "$2"')).to.equal("it's||one two|$three");
		});

		it("may be missing", () => {
			expect(run('printf "%s" "$1"')).to.equal("one two");
		});

		it("goes with the token file, which the program does not see", () => {
			mkdirSync(join(folder, "it's a folder"));
			writeFileSync(join(folder, "it's a folder", "token"), "s3cret");
			expect(run('ls -a "$ATELIER_SECRETS"; cat "$ATELIER_SECRETS/token" 2>&1 || true')).not.to.match(
				/s3cret|\btoken\n/,
			);
			expect(existsSync(join(folder, "it's a folder", "token"))).to.equal(false);
		});

		it("stays out of programs of a pod without secrets", () => {
			expect(throughEntrypoint(["a", "b"], {})).to.deep.equal(["a", "b"]);
		});
	});
});
