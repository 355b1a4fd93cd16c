/** Which URLs are projects of a GitLab. */
import { expect } from "chai";
import { Provider as GitLab } from "#services/git/git-providers/gitlab/gitlab.ts";

const send = () => Promise.reject(new Error("Nothing is sent"));
const at = (base_url?: string) =>
	new GitLab({ name: "work", base_url, token: "t", orgs: [], outbound: { send }, isConfigured: true });

describe("the place of a URL at GitLab", () => {
	const place = { owner: "group/sub", name: "app" };
	const cases: [string, string, object | undefined][] = [
		["https", "https://gitlab.example/group/sub/app", place],
		["a suffix and a slash", "https://gitlab.example/group/sub/app.git/", place],
		["upper case in the host", "https://GitLab.Example/group/sub/app", place],
		["ssh with a port", "ssh://git@gitlab.example:2222/group/sub/app.git", place],
		["git's short form", "git@gitlab.example:group/sub/app.git", place],
		["no scheme", "gitlab.example/group/sub/app", place],
		["a group without others", "https://gitlab.example/group/app", { owner: "group", name: "app" }],
		["a page of a project", "https://gitlab.example/group/app/-/merge_requests/1", undefined],
		["a group", "https://gitlab.example/group", undefined],
		["another host", "https://gitlab.example.evil/group/app", undefined],
		["another port", "https://gitlab.example:8443/group/app", undefined],
		["a user in the URL", "https://ada:secret@gitlab.example/group/app", undefined],
		["a path upwards", "https://gitlab.example/group/%2e%2e/app", undefined],
		["GitHub's short form", "group/app", undefined],
	];
	for (const [what, url, expected] of cases)
		it(`is found for ${what}`, () => expect(at("https://gitlab.example").placeOf(url)).to.deep.equal(expected));

	it("is below the path of a GitLab that has one, in web addresses only", () => {
		for (const base of [
			"https://host.example/gitlab",
			"https://host.example/gitlab/",
			"https://host.example/gitlab/api/v4",
		]) {
			const gitlab = at(base);
			expect(gitlab.placeOf("https://host.example/gitlab/group/app")).to.deep.equal({ owner: "group", name: "app" });
			expect(gitlab.placeOf("git@host.example:group/app.git")).to.deep.equal({ owner: "group", name: "app" });
			expect(gitlab.placeOf("https://host.example/other/group/app")).to.equal(undefined);
		}
	});

	it("is at gitlab.com without a base URL", () => {
		expect(at().placeOf("https://gitlab.com/a/b")).to.deep.equal({ owner: "a", name: "b" });
		expect(at().gitCredential()).to.deep.equal({ username: "oauth2", password: "t" });
	});
});
