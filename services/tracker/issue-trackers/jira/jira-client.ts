/** Asks a Jira of either edition: version 3 of the interface at Jira Cloud, and version 2 at Jira Data Center. */
import {
	type ProviderAnswer,
	ProviderClient,
	type ProviderRequest,
	type Reader,
} from "#shared/net/outbound/provider-client.ts";
import { type ProviderAsk, refusalOf } from "#shared/net/outbound/provider-errors.ts";
import type { TrackerAccess } from "../../trackers/issue-tracker.ts";
import { serverReader } from "./jira-issue.ts";

export interface JiraSite {
	/** The URL of the site, with the path that Jira Data Center may have, and without a slash at its end. */
	readonly site_url: string;
	/** The person of the token at Jira Cloud. Without it the token is a personal access token. */
	readonly email: string | undefined;
	readonly api_token: string;
	/** Default: the hosts of Atlassian have Jira Cloud, and others are asked. */
	readonly deployment: "cloud" | "data-center" | undefined;
}

export type JiraWay = Pick<TrackerAccess, "outbound" | "isConfigured">;

type Query = NonNullable<ProviderRequest["query"]>;

const maxSentences = 5;
/** The most requests of one operation. */
const maxCalls = 10;
const atlassianHost = /\.(?:atlassian\.net|atlassian\.com|jira\.com)$/;

/** Serves one operation. */
export class JiraClient {
	readonly #client: ProviderClient;
	readonly #site: JiraSite;
	readonly #ask: ProviderAsk;
	#edition: Promise<boolean> | undefined;

	/** @param asked The question as the end of a sentence. */
	constructor(site: JiraSite, { outbound, isConfigured }: JiraWay, asked: string) {
		const { email, api_token } = site;
		const basic = Buffer.from(`${email}:${api_token}`).toString("base64");
		this.#site = site;
		this.#ask = { provider: "Jira", asked, secrets: [api_token, basic] };
		this.#client = new ProviderClient({
			outbound,
			base_url: site.site_url,
			isConfigured,
			headers: { authorization: email === undefined ? `Bearer ${api_token}` : `Basic ${basic}` },
			ask: this.#ask,
			bounds: { calls: maxCalls },
		});
	}

	/** Whether the site is of Jira Cloud. */
	isCloud(): Promise<boolean> {
		this.#edition ??= this.#findEdition();
		return this.#edition;
	}

	async get<T>(reader: Reader<T>, path: string, query: Query = {}): Promise<T> {
		const { json } = await this.#send({ path, query });
		return this.#client.read(reader, json);
	}

	/** Returns nothing when there is no such object, or when the credential may not see it. */
	async find<T>(reader: Reader<T>, path: string, query: Query = {}): Promise<T | undefined> {
		const { status, json } = await this.#send({ path, query, expected: [404] });
		return status === 404 ? undefined : this.#client.read(reader, json);
	}

	/** Sends a change, whose answer is nothing but a status. */
	async post(path: string, body: unknown): Promise<void> {
		await this.#send({ method: "POST", path, body });
	}

	async #findEdition(): Promise<boolean> {
		const { site_url, deployment } = this.#site;
		if (deployment !== undefined) return deployment === "cloud";
		if (atlassianHost.test(new URL(site_url).hostname)) return true;
		const { deploymentType } = this.#client.read(serverReader, await this.#client.get("/rest/api/2/serverInfo"));
		return deploymentType === "Cloud";
	}

	/** Jira answers with 400 and with sentences of its own when a value of the request does not exist. */
	async #send({ path, expected = [], ...request }: ProviderRequest): Promise<ProviderAnswer> {
		const whole = `/rest/api/${(await this.isCloud()) ? 3 : 2}/${path}`;
		const answer = await this.#client.send({ ...request, path: whole, expected: [...expected, 400] });
		const { status, headers, json } = answer;
		if (status !== 400) return answer;
		throw refusalOf(this.#ask, { status: 422, headers, message: sentencesOf(json) });
	}
}

function sentencesOf(json: unknown): string {
	if (typeof json !== "object" || json === null) return "";
	const { errorMessages, errors }: { errorMessages?: unknown; errors?: unknown } = json;
	const fields = typeof errors === "object" && errors !== null ? Object.values(errors) : [];
	const sentences = [...(Array.isArray(errorMessages) ? errorMessages : []), ...fields].slice(0, maxSentences);
	return sentences.filter((sentence) => typeof sentence === "string").join(" ");
}
