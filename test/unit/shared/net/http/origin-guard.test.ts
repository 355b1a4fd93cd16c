import { expect } from "chai";
import fc from "fast-check";
import { ForbiddenError } from "#shared/base/errors.ts";
import { OriginGuard, type OriginGuardOptions } from "#shared/net/http/origin-guard.ts";

const loopback: OriginGuardOptions = {
	host: "127.0.0.1",
	port: 8080,
	publicUrl: "",
	allowedHosts: [],
	allowedOrigins: [],
	checksHost: true,
};

function isTaken(options: Partial<OriginGuardOptions>, host: string | undefined, origin?: string): boolean {
	const headers = { ...(host !== undefined && { host }), ...(origin !== undefined && { origin }) };
	try {
		new OriginGuard({ ...loopback, ...options }).check(headers);
		return true;
	} catch (error) {
		expect(error).to.be.instanceOf(ForbiddenError);
		return false;
	}
}

describe("OriginGuard", () => {
	it("accepts the name without a port if the port is HTTP's default", () => {
		expect(isTaken({ port: 80 }, "localhost")).to.equal(true);
		expect(isTaken({ port: 80 }, "localhost:80")).to.equal(true);
		expect(isTaken({}, "localhost")).to.equal(false);
	});

	it("accepts the published URL as host and as origin, exactly", () => {
		const options = { publicUrl: "https://atelier.example" };
		expect(isTaken(options, "atelier.example", "https://atelier.example")).to.equal(true);
		expect(isTaken(options, "localhost:8080", "https://atelier.example")).to.equal(true);
		for (const origin of ["https://atelier.example.evil", "https://atelier.exampl", "https://atelier.example:444"]) {
			expect(isTaken(options, "localhost:8080", origin), origin).to.equal(false);
		}
		expect(isTaken(options, "atelier.example:8080")).to.equal(false);
	});

	it("accepts its own origin only with the requested host", () => {
		expect(isTaken({}, "localhost:8080", "http://localhost:8080")).to.equal(true);
		expect(isTaken({}, "localhost:8080", "http://127.0.0.1:8080")).to.equal(false);
		expect(isTaken({}, "localhost:8080", "http://localhost:8081")).to.equal(false);
		expect(isTaken({}, undefined, "http://")).to.equal(false);
	});

	it("checks no host for callers with a token, unless names are configured; pages of other origins are refused", () => {
		const options = { checksHost: false, host: "0.0.0.0" };
		expect(isTaken(options, "10.1.2.3:8080")).to.equal(true);
		expect(isTaken(options, "10.1.2.3:8080", "https://evil.example")).to.equal(false);
		expect(isTaken({ ...options, allowedHosts: ["atelier.example"] }, "10.1.2.3:8080")).to.equal(false);
		expect(isTaken({ ...options, allowedHosts: ["atelier.example"] }, "atelier.example")).to.equal(true);
	});

	it("writes addresses of IPv6 as Host does", () => {
		expect(isTaken({ host: "::1" }, "[::1]:8080")).to.equal(true);
		expect(isTaken({ host: "fd00::1", checksHost: false, allowedHosts: ["x"] }, "[fd00::1]:8080")).to.equal(true);
	});

	it("returns the origin of an allowed page, and of no other", () => {
		const guard = new OriginGuard({ ...loopback, allowedOrigins: ["https://pages.example"] });
		const host = "localhost:8080";
		expect(guard.check({ host, origin: "https://pages.example" })).to.equal("https://pages.example");
		expect(guard.check({ host, origin: "http://localhost:8080" })).to.equal(undefined);
		expect(guard.check({ host })).to.equal(undefined);
	});

	it("accepts only known hosts and origins, in any spelling", () => {
		const part = fc.constantFrom(
			"localhost",
			"127.0.0.1",
			"[::1]",
			":8080",
			":80",
			".",
			"evil",
			"@",
			"http://",
			"/",
			" ",
		);
		const text = fc.oneof(
			fc.string(),
			fc.array(part, { maxLength: 5 }).map((parts) => parts.join("")),
		);
		const hosts = ["localhost:8080", "127.0.0.1:8080", "[::1]:8080"];
		fc.assert(
			fc.property(text, fc.option(text, { nil: undefined }), (host, origin) => {
				if (!isTaken({}, host, origin)) return;
				expect(hosts).to.include(host.toLowerCase());
				expect([undefined, `http://${host.toLowerCase()}`, `https://${host.toLowerCase()}`]).to.include(origin);
			}),
			{ numRuns: 10_000 },
		);
	});
});
