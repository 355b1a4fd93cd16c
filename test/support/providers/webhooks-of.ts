/** The webhooks of the kinds of git hosts that have an adapter. */
import { giteaWebhooks } from "#services/git/git-providers/gitea/gitea-webhooks.ts";
import { githubWebhooks } from "#services/git/git-providers/github/github-webhooks.ts";
import { gitlabWebhooks } from "#services/git/git-providers/gitlab/gitlab-webhooks.ts";

export const webhooksOf = { github: githubWebhooks, gitlab: gitlabWebhooks, gitea: giteaWebhooks } as const;
