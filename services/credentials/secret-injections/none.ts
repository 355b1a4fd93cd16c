/** Gives no pod any secret, for installations whose pods get theirs in another way. */
import type { PodSecrets } from "#shared/contracts/credentials/pod-secrets.ts";
import { wordsOf } from "../injection/collected-secrets.ts";
import type { InjectionRequest, SecretInjection } from "../injection/secret-injection.ts";

export class NoInjection implements SecretInjection {
	async prepare({ credentials }: InjectionRequest): Promise<PodSecrets> {
		const warnings = credentials.map((one) => `${wordsOf(one)}: this installation injects no credentials`);
		return { variables: {}, files: [], git_credentials: [], warnings };
	}
}
